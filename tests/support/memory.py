"""How much memory a process has had resident at most, asked by the process itself."""

from __future__ import annotations

PEAK = '''
def peak_mb():
    """Linux counts what the parent had before exec into ru_maxrss; VmHWM begins with the program."""
    import resource, sys
    if sys.platform == "linux":
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)
'''
"""To be put before a script that calls ``peak_mb()``."""
