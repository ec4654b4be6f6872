import { X } from 'lucide-react'
import { useEffect } from 'react'
import { create } from 'zustand'
import { toErrorInfo } from '../api/api-error.ts'
import { IconButton } from './icon-button.tsx'
import './notices.css'

interface Notice {
  id: number
  text: string
}

const useNotices = create<{ notices: Notice[] }>(() => ({ notices: [] }))
let lastId = 0

/** Says in a corner what did not work, in the words of whoever refused it. */
export function noticeError(error: unknown): void {
  const text = toErrorInfo(error).message
  useNotices.setState(({ notices }) =>
    notices.some((notice) => notice.text === text)
      ? { notices }
      : { notices: [...notices.slice(-2), { id: ++lastId, text }] },
  )
}

function dismiss(id: number): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))
}

export function Notices() {
  const notices = useNotices((state) => state.notices)
  return (
    <output className="notices" aria-live="polite">
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </output>
  )
}

function NoticeCard({ notice: { id, text } }: { notice: Notice }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), 9000)
    return () => clearTimeout(timer)
  }, [id])
  return (
    <div className="notice">
      <span>{text}</span>
      <IconButton label="Dismiss" onClick={() => dismiss(id)}>
        <X />
      </IconButton>
    </div>
  )
}
