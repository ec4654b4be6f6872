import { useState } from 'react'
import { keepsSigns, keepSigns } from '../shortcuts/kept-signs.ts'
import { ShortcutList } from '../shortcuts/shortcut-list.tsx'
import { t } from '../texts/t.ts'

export function ShortcutsSection() {
  const [signs, setSigns] = useState(keepsSigns)
  return (
    <>
      <label className="settings-check" data-setting="signs">
        <input
          type="checkbox"
          checked={signs}
          onChange={(event) => {
            keepSigns(event.target.checked)
            setSigns(event.target.checked)
          }}
        />
        {t.settings.signs}
      </label>
      <ShortcutList />
    </>
  )
}
