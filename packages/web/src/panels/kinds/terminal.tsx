import { SquareTerminal } from 'lucide-react'
import { TerminalPanel } from '../../terminals/terminal-panel.tsx'

export { SquareTerminal as Icon }
export const staysAlive = true
export default TerminalPanel
