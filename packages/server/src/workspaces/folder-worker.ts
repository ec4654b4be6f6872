import { parentPort } from 'node:worker_threads'
import type { FolderTask } from './folder-states.ts'
import { inspectFolder, listFolders, syncFiles } from './inspect-folder.ts'

/** Does the tasks of one lane, one after the other. */
parentPort?.on('message', (task: FolderTask) => {
  const work = 'inspect' in task ? inspectFolder(syncFiles, task.inspect) : listFolders(syncFiles, task.list)
  work.then(
    (value) => parentPort?.postMessage({ value }),
    (error: unknown) => parentPort?.postMessage({ error: (error as NodeJS.ErrnoException).code ?? String(error) }),
  )
})
