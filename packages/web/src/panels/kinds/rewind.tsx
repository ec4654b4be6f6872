import { History } from 'lucide-react'

export { History as Icon }
export { RewindPanel as default } from '../../changes/rewind-panel.tsx'
