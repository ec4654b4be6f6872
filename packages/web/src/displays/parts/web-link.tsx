import { VisibleText } from '../../ui/visible-text.tsx'
import { webAddress } from './read-fields.ts'
import './web-link.css'

/** A title that leads to its address, where that is one of the web; else only the title. */
export function WebLink({ url, text }: { url: string; text: string }) {
  const address = webAddress(url)
  const shown = <VisibleText text={text} />
  if (address === undefined) return <span className="web-link">{shown}</span>
  return (
    <a className="web-link" href={address.href} title={address.href} target="_blank" rel="noopener noreferrer nofollow">
      {shown}
    </a>
  )
}
