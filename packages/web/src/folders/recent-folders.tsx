import { Folder, FolderOpen } from 'lucide-react'
import { useMay } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { currentFolder, useFolders } from '../workspace/folders.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { folderName } from './folder-name.ts'
import './recent-folders.css'

const shownFolders = 4

/** Other recent folders, on the screen of a new chat. */
export function RecentFolders() {
  const { app, folders } = useWorkspace()
  const recent = useFolders((state) => state.recent) ?? []
  const current = useFolders(currentFolder)
  const others = recent.filter((one) => one !== current && one.state === 'ok').slice(0, shownFolders)
  const mayOpen = useMay('manage')
  if (recent.length === 0 || (others.length === 0 && !mayOpen)) return null
  return (
    <section className="recent-folders" aria-label={t.folders.recent}>
      {others.map((one) => (
        <button key={one.id} type="button" title={one.path} onClick={() => folders.show(one.id)}>
          <Folder aria-hidden />
          <VisibleText text={folderName(one, recent)} as="name" />
        </button>
      ))}
      {mayOpen && (
        <button type="button" aria-haspopup="dialog" onClick={() => app.setDialog('folders')}>
          <FolderOpen aria-hidden />
          {t.folders.openMore}
        </button>
      )}
    </section>
  )
}
