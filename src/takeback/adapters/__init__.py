"""Where takeback meets other programs: each adapter is thin, and depends on nothing but the engine below it."""
