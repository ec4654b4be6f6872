import { useState } from 'react'
import { areSingleKeysEnabled, setSingleKeysEnabled } from '../shortcuts/kept-signs.ts'
import { ShortcutList } from '../shortcuts/shortcut-list.tsx'
import { t } from '../texts/t.ts'

export function ShortcutsSection() {
  const [signs, setSigns] = useState(areSingleKeysEnabled)
  return (
    <>
      <label className="settings-check" data-setting="signs">
        <input
          type="checkbox"
          checked={signs}
          onChange={(event) => {
            setSingleKeysEnabled(event.target.checked)
            setSigns(event.target.checked)
          }}
        />
        {t.settings.signs}
      </label>
      <ShortcutList />
    </>
  )
}
