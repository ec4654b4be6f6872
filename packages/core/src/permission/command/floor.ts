import type { Found } from './find-commands.ts'
import { fieldsOf } from './piece.ts'
import { isWhole, mark, star } from './read-word.ts'

/**
 * What must never run, whatever the rules allow: destroying the root, a home or a device, and ending the machine. Gives
 * the reason. Also guesses count: `rm -rf $HOME` is `rm -rf` of the home.
 */
export function floorOf(found: Found, home: string): string | undefined {
  if (found.remote) return undefined
  for (const { operator, target } of found.redirections) {
    if (operator.startsWith('<') && operator !== '<>') continue
    const path = target.fields[0] ?? ''
    if (isDevice(path)) return `It writes over the device ${path}.`
    if (path === '/proc/sysrq-trigger') return 'It tells the kernel to end the machine.'
  }
  const { name } = found
  if (name === null) return undefined
  const words = fieldsOf(found.pieces.slice(1))
  const options = words.filter((word) => word.startsWith('-')).join(' ')
  const places = words
    .filter((word) => !word.startsWith('-'))
    .flatMap((word) => (word.startsWith('/') ? ['/'] : (found.cwds ?? [])).map((cwd) => absolute(word, cwd)))
  const vital = places.find((place) => isVital(place, home))
  const device = words.map((word) => word.replace(/^of=/, '')).find(isDevice)
  const all = /(^|\s)(-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)(\s|$)/.test(options)
  switch (name) {
    case 'rm':
    case 'unlink':
    case 'srm':
      if (all && vital !== undefined) return `It removes ${spelled(vital)} with everything in it.`
      return device === undefined ? undefined : `It removes the device ${device}.`
    case 'rmdir':
    case 'shred':
    case 'wipe':
      return device !== undefined && name !== 'rmdir' ? `It destroys the device ${device}.` : undefined
    case 'mv': {
      const moved = places.slice(0, -1).find((place) => isVital(place, home))
      return moved === undefined ? undefined : `It moves ${spelled(moved)} away.`
    }
    case 'find':
      if (vital !== undefined && words.includes('-delete')) return `It removes everything in ${spelled(vital)}.`
      return vital !== undefined && words.some((word) => /^-exec/.test(word)) && words.some((word) => /(^|\/)(rm|shred)$/.test(word)) && !words.some((word) => /^-(name|iname|path|regex|type|mtime|size|maxdepth|newer)/.test(word))
        ? `It removes everything in ${spelled(vital)}.`
        : undefined
    case 'chmod':
    case 'chown':
    case 'chgrp':
    case 'chattr':
    case 'setfacl':
      return all && vital !== undefined ? `It changes who may use ${spelled(vital)} and everything in it.` : undefined
    case 'dd':
      return device !== undefined && words.some((word) => word.startsWith('of=') && isDevice(word.slice(3)))
        ? `It writes over the device ${device}.`
        : undefined
    case 'cp':
    case 'tee':
    case 'sponge':
    case 'cat': {
      const target = name === 'tee' || name === 'sponge' ? device : words.at(-1)
      return target !== undefined && name !== 'cat' && isDevice(target) ? `It writes over the device ${target}.` : undefined
    }
    case 'wipefs':
    case 'blkdiscard':
    case 'sgdisk':
    case 'fdisk':
    case 'sfdisk':
    case 'cfdisk':
    case 'gdisk':
    case 'parted':
    case 'hdparm':
    case 'nvme':
    case 'cryptsetup':
      return device !== undefined && !/(^|\s)(-l|--list|-p|--print|-I|-i)(\s|$)/.test(options) && !words.includes('print')
        ? `It changes the device ${device}.`
        : undefined
    case 'diskutil':
      return /^(erase|reformat|partition|zero|secureErase|deleteContainer|deleteVolume)/i.test(words[0] ?? words[1] ?? '')
        ? 'It erases a disk.'
        : undefined
    case 'shutdown':
      return /(^|\s)-c(\s|$)/.test(options) ? undefined : 'It ends the machine.'
    case 'reboot':
    case 'halt':
    case 'poweroff':
      return /--help|--version/.test(options) ? undefined : 'It ends the machine.'
    case 'init':
    case 'telinit':
      return /^[06]$/.test(words[0] ?? '') ? 'It ends the machine.' : undefined
    case 'systemctl':
    case 'loginctl':
      return words.some((word) => /^(poweroff|reboot|halt|kexec|soft-reboot|emergency|rescue)$/.test(word)) ? 'It ends the machine.' : undefined
    case 'kill':
      return words.slice(1).includes('-1') || (words.includes('-1') && words[0] !== '-1') || words.includes('1')
        ? 'It ends every process.'
        : undefined
    case 'kill5':
    case 'killall5':
      return 'It ends every process.'
    default:
      if (/^(mkfs|mke2fs|newfs|mkswap)(\.|$)/.test(name)) return words.length > 0 && !/--help|-V/.test(options) ? 'It makes a new file system over what is there.' : undefined
      return undefined
  }
}

const system =
  /^\/(bin|sbin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|srv|sys|usr|var|Applications|Library|System|Users|Volumes|private|private\/etc|private\/var|usr\/(bin|lib|sbin|local|share))?$/

/** The root, what the system stands on, homes, and everything in one of them. */
function isVital(place: string, home: string): boolean {
  if (!isWhole(place.replaceAll(star, '').replaceAll(mark, ''))) return false
  const folder = place.replace(/\/+$/, '').replace(new RegExp(`/(?:\\.?[${star}${mark}]+|\\.\\[\\^\\.\\]${star})$`), '')
  if (system.test(folder)) return true
  if (/^\/(home|Users)\/[^/]+$/.test(folder)) return true
  // A folder that holds the home.
  return folder === home || home.startsWith(`${folder}/`)
}

function isDevice(path: string): boolean {
  return /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|md|dm-|mapper\/|loop|sr|mem|kmem|port|nst|st\d)/.test(path)
}

/** Resolved by what is written: good enough for a guess that may only refuse more. */
function absolute(path: string, cwd: string): string {
  const parts: string[] = []
  for (const part of `${path.startsWith('/') ? '' : `${cwd}/`}${path}`.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

function spelled(place: string): string {
  return place.replaceAll(star, '*').replaceAll(mark, '?')
}
