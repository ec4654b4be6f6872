import type { Finding } from '@troupe/protocol'
import { diagnose } from '@troupe/server/doctor'
import { defineCommand } from '../shared/command.ts'

/**
 * `troupe doctor`: shows findings, attempts and fixes. `--full` reads all of a large database. Exits with 1 if
 * something fails.
 */
export const command = defineCommand({
  options: { json: { type: 'boolean', default: false }, full: { type: 'boolean', default: false } },
  async run({ values }, context) {
    const findings: Finding[] = []
    for await (const finding of diagnose({ ...context, full: values.full })) {
      findings.push(finding)
      if (!values.json) context.stdout.write(line(finding))
    }
    if (values.json) context.stdout.write(`${JSON.stringify(findings)}\n`)
    return findings.some(({ status }) => status === 'fail') ? 1 : 0
  },
})

function line({ status, name, text, fix }: Finding): string {
  const first = `${(status === 'info' ? '–' : status).padEnd(4)}  ${name.padEnd(18)}  ${text}\n`
  return fix === undefined ? first : `${first}${' '.repeat(26)}-> ${fix}\n`
}
