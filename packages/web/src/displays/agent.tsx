import { ValueView } from '../chat/value-view.tsx'
import { AgentReport } from '../sub-agents/agent-report.tsx'
import { readReport } from '../sub-agents/read-report.ts'
import type { DisplayContent, DisplayProps } from './parts/display-props.ts'

/** What became of a sub-agent: `agentId`, `name`, `status`, `text` (its answer), `note`, `steps`, `tokens`. */
export default function AgentDisplay({ content }: DisplayProps) {
  const report = readReport(content)
  return report === undefined ? <ValueView value={content} /> : <AgentReport report={report} />
}

export function isBad(content: DisplayContent): boolean {
  return content['status'] === 'failed'
}
