import { Bug } from 'lucide-react'
import { DebugView } from '../../debug/debug-view.tsx'

export { Bug as Icon }

export default function DebugPanel() {
  return <DebugView />
}
