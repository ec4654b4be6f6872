import type { AgentState } from './agent-state.ts'
import { realPath } from './files/resolve-path.ts'
import type { UndoJournal } from './files/undo-journal.ts'
import type { Task, Tasks } from './shell/tasks.ts'

export interface AgentStateOptions {
  /** The folder that is worked in; must exist. */
  workspace: string
  /** Where over-long results are spilled; made when needed, always readable. */
  outputFolder: string
  /** Where files are kept as they were before our tools changed them. Default: `.undo` in the output folder. */
  undoFolder?: string
  /** Folders that the person added to the workspace. */
  roots?: readonly string[]
  /** What may be read besides: folders of loaded skills. */
  readable?: readonly string[]
}

/** The state of an agent that has done nothing yet. Real paths decide what is inside, so links are resolved here. */
export function createAgentState(options: AgentStateOptions): AgentState {
  const [workspace, ...added] = [options.workspace, ...(options.roots ?? [])].map((folder) => realPath(folder).path)
  const outputFolder = realPath(options.outputFolder).path
  const state: AgentState = {
    cwd: workspace!,
    env: {},
    roots: [...new Set([workspace!, ...added])],
    readable: [outputFolder, ...(options.readable ?? []).map((folder) => realPath(folder).path)],
    reads: new Map(),
    shownNotes: new Set(),
    outputFolder,
    tasks: createTasks(),
    undo: absentJournal,
    kept: new Map(),
  }
  return state
}

/** Ends what a state holds: background commands, interpreters, caches. */
export async function disposeAgentState(state: AgentState): Promise<void> {
  const kept = [...state.kept.values()]
  state.kept.clear()
  await Promise.all([state.tasks.dispose(), ...kept.map(async (one) => one.dispose())])
}

function createTasks(): Tasks {
  const tasks = new Map<string, Task>()
  return {
    add: (task) => void tasks.set(task.id, task),
    get: (id) => tasks.get(id),
    list: () => [...tasks.values()],
    dispose: async () => void (await Promise.all([...tasks.values()].map((task) => task.stop()))),
  }
}

const absentJournal: UndoJournal = {
  before: () => Promise.reject(new Error('No journal of changes is open.')),
  list: () => Promise.resolve([]),
  undo: () => Promise.resolve({ restored: [], skipped: [] }),
}
