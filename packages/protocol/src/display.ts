/**
 * What `display.content` of a result may be, beyond plain text: cards switch on `kind`. Types only; paths are relative
 * to the workspace where they lie inside it. A tool of one's own may show one of these and gets its card for nothing.
 */
export type Display =
  | DiffDisplay
  | PatchDisplay
  | FileDisplay
  | ImageDisplay
  | MediaDisplay
  | ListDisplay
  | MatchesDisplay
  | PageDisplay
  | ResultsDisplay
  | TerminalDisplay
  | ChecklistDisplay
  | AgentDisplay
  | ChartDisplay

/** One file before and after, as a unified diff. */
export interface DiffDisplay {
  kind: 'diff'
  path: string
  change: 'created' | 'changed' | 'deleted' | 'moved'
  /** Where it was before it was moved. */
  from?: string
  /** Hunks without file headers; empty when nothing of the text changed. */
  diff: string
  added: number
  removed: number
  /** The diff is cut; `added` and `removed` count the whole. */
  cut?: true
}

/** Several files changed by one call. */
export interface PatchDisplay {
  kind: 'patch'
  files: DiffDisplay[]
}

/** A file that was read: its first lines; what the model read is in the call's notes. */
export interface FileDisplay {
  kind: 'file'
  path: string
  /** A short beginning of what was read. */
  text: string
  /** The number of the first line shown, counted from 1. */
  from: number
  /** How many lines the model was shown. */
  lines: number
  /** There is more after them. */
  more: boolean
}

/** Bytes that a person can look at: history holds their hash, `/ai/blobs/<sha256>` the bytes. */
export interface ImageDisplay {
  kind: 'image'
  path: string
  mediaType: string
  size: number
  sha256?: string
}

/** Pictures and films that were made. */
export interface MediaDisplay {
  kind: 'media'
  prompt: string
  files: { sha256: string; mediaType: string; size: number }[]
}

/** Names in a folder, or files that were found. */
export interface ListDisplay {
  kind: 'list'
  path: string
  entries: FolderDisplayEntry[]
  /** How many more there are. */
  left: number
}

export interface FolderDisplayEntry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  /** How deep in the tree it lies, counted from 0. */
  depth: number
}

/** Lines that a search found, by file. */
export interface MatchesDisplay {
  kind: 'matches'
  pattern: string
  files: { path: string; lines: { number: number; text: string; match: boolean }[] }[]
  more: boolean
}

/** A page of the web. */
export interface PageDisplay {
  kind: 'page'
  url: string
  title: string
  status: number
  mediaType: string
  text: string
  characters: number
}

/** What a search of the web found. */
export interface ResultsDisplay {
  kind: 'results'
  query: string
  results: { title: string; url: string; text: string; date?: string }[]
}

/** What a command printed, its tail, with control sequences as they came. */
export interface TerminalDisplay {
  kind: 'terminal'
  command: string
  text: string
  exitCode: number | null
  durationMs: number
  status: 'running' | 'ended' | 'stopped' | 'timed-out'
  taskId?: string
  spilled?: { path: string; length: number }
}

/** Things to do, and how far they are. */
export interface ChecklistDisplay {
  kind: 'checklist'
  items: { content: string; status: 'pending' | 'in_progress' | 'completed'; activeForm?: string }[]
}

/** What became of a sub-agent; its conversation is found by its id. */
export interface AgentDisplay {
  kind: 'agent'
  agentId: string
  name: string
  status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped'
  text: string
  note?: string
  steps: number
  tokens: number
}

/** A chart: an option of ECharts as data; see `chartProblem` for what it may hold. */
export interface ChartDisplay {
  kind: 'chart'
  option: Record<string, unknown>
  title?: string
  height?: number
}
