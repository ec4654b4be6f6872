import { parentPort, workerData } from 'node:worker_threads'
import { measurePlaces } from './measure-places.ts'

parentPort?.postMessage(measurePlaces(workerData as string))
