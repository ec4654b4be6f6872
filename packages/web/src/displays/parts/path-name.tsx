import { VisibleText } from '../../ui/visible-text.tsx'
import './path-name.css'

/** A path whose last name stands out; where there is little room, the folders before it give way. */
export function PathName({ path }: { path: string }) {
  const cut = path.replace(/\/+$/, '').lastIndexOf('/') + 1
  return (
    <span className="path" title={path}>
      <span className="path-folder">
        <VisibleText text={path.slice(0, cut)} exact />
      </span>
      <span className="path-name">
        <VisibleText text={path.slice(cut)} exact />
      </span>
    </span>
  )
}
