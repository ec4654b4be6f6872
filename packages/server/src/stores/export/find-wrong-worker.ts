import { parentPort, workerData } from 'node:worker_threads'
import { findStaleExports, type StaleExportQuery } from './find-wrong.ts'

parentPort?.postMessage(findStaleExports(workerData as StaleExportQuery))
