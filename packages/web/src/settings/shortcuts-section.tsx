import { useState } from 'react'
import { ShortcutList } from '../shortcuts/shortcuts-dialog.tsx'
import { areSingleKeysEnabled, setSingleKeysEnabled } from '../shortcuts/shortcuts.ts'
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
