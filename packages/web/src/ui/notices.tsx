import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { create } from 'zustand'
import { toErrorInfo } from '../api/api-error.ts'
import { t } from '../texts/t.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import './notices.css'

interface Notice {
  id: number
  text: string
  isError: boolean
  /** What can be done about it, once. */
  action?: NoticeAction
}

export interface NoticeAction {
  label: string
  onSelect: () => void
}

const useNotices = create<{ notices: Notice[] }>(() => ({ notices: [] }))
let lastId = 0

/** Says in a corner what did not work, in the words of whoever refused it. */
export function noticeError(error: unknown): void {
  const text = toErrorInfo(error).message
  useNotices.setState(({ notices }) =>
    notices.some((notice) => notice.text === text)
      ? { notices }
      : { notices: [...notices.slice(-2), { id: ++lastId, text, isError: true }] },
  )
}

/** Says in a corner what was done, with the way back where there is one. */
export function notice(text: string, action?: NoticeAction): void {
  const said = { id: ++lastId, text, isError: false, ...(action !== undefined && { action }) }
  useNotices.setState(({ notices }) => ({ notices: [...notices.slice(-2), said] }))
}

function dismiss(id: number): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))
}

export function Notices() {
  const notices = useNotices((state) => state.notices)
  return (
    <output className="notices" aria-live="polite" data-focus-back>
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </output>
  )
}

/** Stays as long as the pointer or the focus is in it. */
function NoticeCard({ notice: { id, text, isError, action } }: { notice: Notice }) {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => dismiss(id), 9000)
    return () => clearTimeout(timer)
  }, [id, held])
  return (
    <div
      className={isError ? 'notice' : 'notice notice-told'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{text}</span>
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
