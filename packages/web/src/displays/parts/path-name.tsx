import { VisibleText } from '../../ui/visible-text.tsx'
import './path-name.css'

/** A path whose last name stands out. */
export function PathName({ path }: { path: string }) {
  const cut = path.replace(/\/+$/, '').lastIndexOf('/') + 1
  return (
    <span className="path">
      <span className="path-folder">
        <VisibleText text={path.slice(0, cut)} as="name" />
      </span>
      <span className="path-name">
        <VisibleText text={path.slice(cut)} as="name" />
      </span>
    </span>
  )
}
