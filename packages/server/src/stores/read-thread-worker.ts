import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

export interface ReadRequest {
  id: number
  sql: string
  parameters: SQLInputValue[]
}
export type ReadAnswer = { id: number; rows: unknown[] } | { id: number; error: string }

const database = new DatabaseSync(workerData as string, { readOnly: true, timeout: 5000 })

parentPort?.on('message', ({ id, sql, parameters }: ReadRequest) => {
  parentPort?.postMessage(answer(id, sql, parameters))
})

function answer(id: number, sql: string, parameters: SQLInputValue[]): ReadAnswer {
  try {
    return { id, rows: database.prepare(sql).all(...parameters) }
  } catch (error) {
    return { id, error: (error as Error).message }
  }
}
