import { FolderTree } from 'lucide-react'
import { FilesPanel } from '../../files/files-panel.tsx'

export { FolderTree as Icon }
export default FilesPanel
