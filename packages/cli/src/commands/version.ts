import { readFileSync } from 'node:fs'
import { defineCommand } from '../shared/command.ts'

export const command = defineCommand({
  options: {},
  async run(_args, { stdout }) {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    stdout.write(`troupe ${version} (Node ${process.versions.node})\n`)
    return 0
  },
})
