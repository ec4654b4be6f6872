// Loaded as one chunk by `answer-parts.tsx`.
export { AgentNotice } from '../../sub-agents/agent-report.tsx'
export { DataPart } from './data-part.tsx'
export { ToolPart } from './tool-part.tsx'
