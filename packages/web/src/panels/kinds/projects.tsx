import { Boxes } from 'lucide-react'
import { ProjectsPanel } from '../../projects/projects-panel.tsx'

export { Boxes as Icon }
export default ProjectsPanel
