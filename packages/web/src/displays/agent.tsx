import { readReport } from '../chat/session/sub-agent.ts'
import { AgentReport } from '../sub-agents/agent-report.tsx'
import { ValueView } from './parts/display-parts.tsx'
import type { DisplayContent, DisplayProps } from './parts/display-registry.ts'

/** Result of a sub-agent: `agentId`, `name`, `status`, `text` (its answer), `note`, `steps`, `tokens`. */
export default function AgentDisplay({ content }: DisplayProps) {
  const report = readReport(content)
  return report === undefined ? <ValueView value={content} /> : <AgentReport report={report} />
}

export function isBad(content: DisplayContent): boolean {
  return content['status'] === 'failed'
}
