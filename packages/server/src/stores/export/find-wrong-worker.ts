import { parentPort, workerData } from 'node:worker_threads'
import { findWrong, type FindWrong } from './find-wrong.ts'

parentPort?.postMessage(findWrong(workerData as FindWrong))
