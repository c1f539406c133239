"""opencode: a plugin that tells the hook command what happens, in the words of `takeback.adapters.hooks`.

It has no hooks that are commands. The plugin waits for the answer where files may change next, never longer than a
minute, never fails and never prints. A subagent's session counts as its parent's: what it does belongs to the same turn.
A tool that fails has no event of its own but a message's part, and a session that rests says so in one of two ways.
"""

from __future__ import annotations

from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.install.agent import Agent, Slash

_PLUGIN = """\
// Makes each turn of opencode a move that `takeback undo` can take back.
// Written by `takeback install opencode`; `takeback uninstall opencode` removes it.
import { spawn } from "node:child_process"

const COMMAND = "{takeback} hook opencode"
const READS = new Set(
  "read glob grep list lsp webfetch websearch codesearch todowrite todoread task skill question invalid".split(" "),
)
const PATIENCE_MS = 60000
const FITS = 100000 // bytes that can be handed over at once, so that they are heard even if opencode ends right now

function tell(event) {
  return new Promise((resolve) => {
    try {
      const said = JSON.stringify({ ...event, timestamp_ms: Date.now() })
      const whole = Buffer.byteLength(said) < FITS
      const child = spawn("/bin/sh", ["-c", whole ? `printf %s "$TAKEBACK_EVENT" | ${COMMAND}` : COMMAND], {
        stdio: [whole ? "ignore" : "pipe", "ignore", "ignore"],
        detached: true,
        env: whole ? { ...process.env, TAKEBACK_EVENT: said } : process.env,
      })
      const timer = setTimeout(resolve, PATIENCE_MS)
      const done = () => (clearTimeout(timer), resolve())
      timer.unref?.()
      child.on("error", done)
      child.on("close", done)
      child.stdin?.on("error", () => {})
      child.stdin?.end(said)
      child.unref()
    } catch {
      resolve()
    }
  })
}

export const Takeback = async ({ client, directory }) => {
  const parents = new Map()
  const turns = new Set()
  const calls = new Map()
  const questions = new Map()

  async function top(session) {
    for (let depth = 0; depth < 16; depth++) {
      if (!parents.has(session)) {
        const found = await client.session.get({ path: { id: session } })
        parents.set(session, found?.data?.parentID ?? null)
      }
      const parent = parents.get(session)
      if (!parent) return session
      session = parent
    }
    return session
  }

  function say(name, session, more) {
    return tell({ hook_event_name: name, session_id: session, cwd: directory, ...more })
  }

  async function after(id, input) {
    const call = calls.get(id)
    if (!call) return
    calls.delete(id)
    const told = { tool_name: call.tool, tool_input: input ?? call.input, tool_use_id: id }
    if (call.denied) return say("tool_denied", call.session, told)
    await say("tool_after", call.session, { ...told, duration_ms: Date.now() - call.since })
  }

  // A call begins to run when nobody has to be asked, or when a person has answered.
  async function asked({ id, tool }) {
    const call = calls.get(tool?.callID)
    if (!call) return
    questions.set(id, tool.callID)
    await say("permission_asked", call.session, { tool_name: call.tool, tool_input: call.input, tool_use_id: tool.callID })
  }

  function answered({ requestID, reply }) {
    const call = calls.get(questions.get(requestID))
    questions.delete(requestID)
    if (call) Object.assign(call, { since: Date.now(), denied: reply === "reject" })
  }

  const silently = (work) => async (...given) => {
    try {
      await work(...given)
    } catch {}
  }

  async function end(name, session) {
    if (turns.delete(session)) await say(name, session)
  }

  const hear = {
    "session.created": async ({ info }) => {
      parents.set(info.id, info.parentID ?? null)
      if (!info.parentID) await say("session_created", info.id)
    },
    "session.deleted": async ({ info }) => {
      if (!info.parentID) await say("session_deleted", info.id)
    },
    "session.idle": ({ sessionID }) => end("idle", sessionID),
    "session.status": ({ sessionID, status }) => (status?.type === "idle" ? end("idle", sessionID) : undefined),
    "session.error": ({ sessionID }) => (sessionID ? end("error", sessionID) : undefined),
    "permission.asked": asked,
    "permission.replied": answered,
    "message.part.updated": ({ part }) =>
      part?.type === "tool" && part.state?.status === "error" ? after(part.callID, part.state.input) : undefined,
  }

  return {
    event: silently(async ({ event }) => hear[event.type]?.(event.properties)),
    "chat.message": silently(async ({ sessionID }, { parts }) => {
      if ((await top(sessionID)) !== sessionID) return
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      turns.add(sessionID)
      await say("prompt", sessionID, { prompt: texts.join("\\n") })
    }),
    "tool.execute.before": silently(async ({ tool, sessionID, callID }, { args }) => {
      if (READS.has(tool)) return
      const session = await top(sessionID)
      calls.set(callID, { session, tool, input: args, since: Date.now(), denied: false })
      await say("tool_before", session, { tool_name: tool, tool_input: args, tool_use_id: callID })
      const call = calls.get(callID)
      if (call) call.since = Date.now()
    }),
    "tool.execute.after": silently(({ callID }) => after(callID)),
  }
}
"""

_UNDO = """\
---
description: Take back what the last turn changed
---
!`{takeback} undo --yes $ARGUMENTS 2>&1`

Tell the person in one or two lines what the output above says was taken back. Do nothing else, and run no tool.
"""

_SNAPSHOTS = """\
---
description: Show the latest moves and snapshots of this project
---
!`{takeback} log -n 20 2>&1`

Show the person the output above as it is. Do nothing else, and run no tool.
"""

OPENCODE = Agent(
    name="opencode",
    title="opencode",
    files=AGENTS["opencode"].files,
    no_scope=" of its own",
    format="whole",
    whole=_PLUGIN,
    slashes={"user": "{opencode}/command/{name}.md", "project": "{project}/.opencode/command/{name}.md"},
    commands=(Slash("undo", _UNDO), Slash("snapshots", _SNAPSHOTS)),
    taken=("undo",),
    next=("sessions that are open take it up when they are started again",),
)
