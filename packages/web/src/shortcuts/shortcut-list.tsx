import { t } from '../texts/t.ts'
import { keyNames } from './keys.ts'
import { shortcuts } from './shortcuts.ts'
import type { Shortcut } from './shortcuts.ts'
import './shortcut-list.css'

const places: readonly Shortcut['where'][] = ['everywhere', 'message', 'lists']

/** All shortcuts, by where they work. */
export function ShortcutList() {
  return places.map((where) => (
    <section key={where} className="shortcuts" aria-label={t.shortcuts.where[where]}>
      <h3>{t.shortcuts.where[where]}</h3>
      <dl>
        {shortcuts
          .filter((shortcut) => shortcut.where === where)
          .map(({ id, keys, title }) => (
            <div key={id} data-setting={`shortcut-${id}`}>
              <dt>{title()}</dt>
              <dd>
                {keyNames(keys).map((name) => (
                  <kbd key={name}>{name}</kbd>
                ))}
              </dd>
            </div>
          ))}
      </dl>
    </section>
  ))
}
