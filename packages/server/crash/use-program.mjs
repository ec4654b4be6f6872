import path from 'node:path'
import { currentProgram } from '../../cli/bin/current-program.mjs'
import { takeFrom } from '../../cli/bin/take-program.mjs'

// Takes the server from the bundle of `npm test`, which starts in half of the time.
const program = currentProgram(path.resolve(import.meta.dirname, '../../..'))
if (program !== undefined) takeFrom(program)
