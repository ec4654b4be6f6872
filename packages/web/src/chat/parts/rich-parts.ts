// One piece of the page, which `lazy-parts.tsx` loads.
export { AgentNotice } from '../../sub-agents/agent-report.tsx'
export { DataPart } from './data-part.tsx'
export { ToolPart } from './tool-part.tsx'
