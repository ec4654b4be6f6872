import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { create } from 'zustand'
import { toErrorInfo } from '../api/request.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import './notices.css'

interface Notice {
  id: number
  text: string
  isError: boolean
  /** Action offered with the notice, usable once. */
  action?: NoticeAction
}

export interface NoticeAction {
  label: string
  onSelect: () => void
}

const useNotices = create<{ notices: Notice[] }>(() => ({ notices: [] }))
let lastId = 0
/** Safety limit. In normal use, notices expire before this many accumulate. */
const maxNotices = 49
/** The newest are shown. The older wait until there is room again, so none is lost unread. */
const maxShown = 3
const shortestMs = 9000
const msPerCharacter = 45

export function noticeError(error: unknown): void {
  const text = toErrorInfo(error).message
  useNotices.setState(({ notices }) =>
    notices.some((notice) => notice.text === text)
      ? { notices }
      : { notices: [...notices.slice(-maxNotices), { id: ++lastId, text, isError: true }] },
  )
}

export function notice(text: string, action?: NoticeAction): void {
  const said = { id: ++lastId, text, isError: false, action }
  useNotices.setState(({ notices }) => ({ notices: [...notices.slice(-maxNotices), said] }))
}

function dismiss(id: number): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))
}

export function Notices() {
  const notices = useNotices((state) => state.notices)
  const [expandedUpTo, setExpandedUpTo] = useState(0)
  const shown = notices.filter(({ id }, index) => id <= expandedUpTo || index >= notices.length - maxShown)
  return (
    <div className="notices-place">
      <output className="notices" aria-live="polite" data-focus-back>
        {notices.length > 1 && (
          <div className="notices-tools">
            {shown.length < notices.length && (
              <Button kind="quiet" onClick={() => setExpandedUpTo(lastId)}>
                {t.ui.earlierNotices(notices.length - shown.length)}
              </Button>
            )}
            <Button kind="quiet" onClick={() => useNotices.setState({ notices: [] })}>
              {t.ui.dismissAll}
            </Button>
          </div>
        )}
        {shown.map((notice) => (
          <NoticeCard key={notice.id} notice={notice} />
        ))}
      </output>
    </div>
  )
}

/** Stays while hovered or focused. */
function NoticeCard({ notice: { id, text, isError, action } }: { notice: Notice }) {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => dismiss(id), Math.max(shortestMs, text.length * msPerCharacter))
    return () => clearTimeout(timer)
  }, [id, held, text])
  return (
    <div
      className={isError ? 'notice' : 'notice notice-info'}
      onPointerEnter={({ pointerType }) => setHeld(pointerType === 'mouse')}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span dir="auto">{text}</span>
      {action !== undefined && (
        <Button
          onClick={() => {
            dismiss(id)
            action.onSelect()
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label={t.ui.dismiss} onClick={() => dismiss(id)}>
        <X />
      </IconButton>
    </div>
  )
}
