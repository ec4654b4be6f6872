import type { ReactNode } from 'react'

/** One setting: what it is, what it means, and the way to change it. */
export function SettingRow(props: { id: string; title: string; about?: string; children: ReactNode }) {
  const { id, title, about, children } = props
  return (
    <div className="setting" data-setting={id}>
      <div className="setting-text">
        <h3>{title}</h3>
        {about !== undefined && <p>{about}</p>}
      </div>
      {children}
    </div>
  )
}
