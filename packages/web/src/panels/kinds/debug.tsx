import { Bug } from 'lucide-react'
import { DebugView } from '../../debug/debug-view.tsx'

export { Bug as Icon }

/** What the hooks for extensions give just now, and the stream as it comes. */
export default function DebugPanel() {
  return <DebugView />
}
