/**
 * The shapes that the server sends, for readers and editors; nothing here runs.
 *
 * @typedef {{number: number, root: string, name: string, head: string|null, fork_of: string|null, is_own: boolean, is_here: boolean}} Lane
 *
 * @typedef {{version: string, root: string, store: string, read_only: boolean, lane: number, csrf: string}} About
 *
 * @typedef {{kind: "present"|"move"|"snapshot"|"original", lane: number, seq: number, snapshot: string|null, before: string|null,
 *   time_ns: string, move: string|null, level: string, verb: string, title: string, session: string, agent: string,
 *   undone_by: string|null, open: boolean, takes: string[], trigger: string, labels: string[], pinned: boolean,
 *   changed: number, forks: [number, string][]}} Row
 *
 * @typedef {{files: number, added: number|null, removed: number|null, parts: Record<string, number>, missed: Record<string, string>}} Counts
 *
 * @typedef {[string, string][]} Spans  (style, text); a style that begins with "!" marks what differs inside a changed line
 * @typedef {{kind: " "|"-"|"+"|"~", left_no: number|null, left: Spans, right_no: number|null, right: Spans}} SideRow
 * @typedef {{head: string, rows: SideRow[]}} Hunk
 * @typedef {{path: string, part: string, status: string, binary: boolean, too_large: boolean, image: boolean, hunks: Hunk[],
 *   added: number, removed: number, before_size: number|null, after_size: number|null, note: string}} FileSides
 *
 * @typedef {{role: string, text: string}} Message
 * @typedef {{status: "same"|"added"|"removed"|"changed"|"gap", index: number, before: Message|null, after: Message|null}} MessagePair
 * @typedef {{part: string, path: string, pairs: MessagePair[]}} Conversation
 *
 * @typedef {{verb: "restore"|"undo"|"since"|"redo"|"promote", lane?: number, reference?: string|null, move?: string|null,
 *   only?: string[]|null, paths?: Record<string, string[]>|null, shared?: boolean, fork?: string|null}} Wanted
 * @typedef {{part: string, path: string, action: string, merged: boolean}} Item
 * @typedef {{part: string, kind: string, items: Item[], whole: boolean}} Group
 *
 * @typedef {{id: string, title: string, state: "running"|"done"|"failed"|"cancelled", words: string,
 *   progress: {phase: string, done: number, total: number|null}|null, result: any, error: any}} Job
 */
export {};
