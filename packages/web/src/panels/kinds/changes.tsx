import { FileDiff } from 'lucide-react'

export { FileDiff as Icon }
export { ChangesPanel as default } from '../../changes/changes-panel.tsx'
