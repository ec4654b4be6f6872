import { fieldsOf, isWhole, mark, star } from './read-word.ts'
import type { CommandFinding } from './shell-state.ts'

interface SeenCommand {
  words: readonly string[]
  options: string
  recursive: boolean
  vital(from?: number, to?: number): string | undefined
  device(): string | undefined
}

const endsMachine = 'It shuts down the machine.'
const changesOwner = ({ recursive, vital }: SeenCommand): string | undefined => {
  const place = recursive ? vital() : undefined
  return place === undefined ? undefined : `It changes the permissions of ${place} and everything in it.`
}
const changesDisk = ({ device, options, words }: SeenCommand): string | undefined => {
  const disk = device()
  const looks = /(^|\s)(-l|--list|-p|--print|-I|-i)(\s|$)/.test(options) || words.includes('print')
  return disk === undefined || looks ? undefined : `It changes the device ${disk}.`
}
const writesDisk = ({ device }: SeenCommand): string | undefined => {
  const disk = device()
  return disk === undefined ? undefined : `It overwrites the device ${disk}.`
}
const ends = ({ options }: SeenCommand): string | undefined =>
  /--help|--version/.test(options) ? undefined : endsMachine
const removes = ({ recursive, vital, device }: SeenCommand): string | undefined => {
  const place = recursive ? vital() : undefined
  if (place !== undefined) return `It deletes ${place} and everything in it.`
  const disk = device()
  return disk === undefined ? undefined : `It deletes the device ${disk}.`
}

const neverRunRules: ReadonlyMap<string, (seen: SeenCommand) => string | undefined> = new Map(
  Object.entries<(seen: SeenCommand) => string | undefined>({
    rm: removes,
    srm: removes,
    shred: writesDisk,
    wipe: writesDisk,
    tee: writesDisk,
    sponge: writesDisk,
    cp: ({ words }) => (isDevice(words.at(-1) ?? '') ? `It overwrites the device ${words.at(-1) ?? ''}.` : undefined),
    dd: ({ words }) => {
      const target = words.find((word) => word.startsWith('of='))?.slice(3) ?? ''
      return isDevice(target) ? `It overwrites the device ${target}.` : undefined
    },
    mv: ({ vital }) => {
      const place = vital(0, -1)
      return place === undefined ? undefined : `It moves ${place} away.`
    },
    find: ({ words, vital }) => {
      const place = vital()
      if (place === undefined) return undefined
      const some = words.some((word) =>
        /^-(i?name|i?path|i?regex|type|[acm]time|[acm]min|size|maxdepth|newer|user|empty)/.test(word),
      )
      const removesAll = words.includes('-delete') || words.some((word) => /(^|\/)(rm|shred|unlink)$/.test(word))
      return removesAll && !some ? `It deletes everything in ${place}.` : undefined
    },
    chmod: changesOwner,
    chown: changesOwner,
    chgrp: changesOwner,
    chattr: changesOwner,
    setfacl: changesOwner,
    wipefs: changesDisk,
    blkdiscard: changesDisk,
    fdisk: changesDisk,
    sfdisk: changesDisk,
    cfdisk: changesDisk,
    gdisk: changesDisk,
    sgdisk: changesDisk,
    parted: changesDisk,
    hdparm: changesDisk,
    nvme: changesDisk,
    cryptsetup: changesDisk,
    diskutil: ({ words }) =>
      words.some((word) => /^(erase|reformat|partition|zero|secureErase|deleteContainer|deleteVolume)/i.test(word))
        ? 'It erases a disk.'
        : undefined,
    shutdown: ({ options }) => (/(^|\s)(-c|--help)(\s|$)/.test(options) ? undefined : endsMachine),
    reboot: ends,
    halt: ends,
    poweroff: ends,
    init: ({ words }) => (/^[06]$/.test(words[0] ?? '') ? endsMachine : undefined),
    telinit: ({ words }) => (/^[06]$/.test(words[0] ?? '') ? endsMachine : undefined),
    systemctl: ({ words }) =>
      words.some((word) => /^(poweroff|reboot|halt|kexec|soft-reboot)$/.test(word)) ? endsMachine : undefined,
    loginctl: ({ words }) => (words.some((word) => /^(poweroff|reboot|halt)$/.test(word)) ? endsMachine : undefined),
    // `-1` as a process ID means every process. As the first option it is a signal.
    kill: ({ words }) =>
      words.slice(1).some((word) => word === '-1' || word === '1') || words[0] === '1'
        ? 'It kills every process.'
        : undefined,
    killall5: () => 'It kills every process.',
  }),
)

/**
 * Returns the reason to refuse a command that destroys the root, a home folder or a device, or shuts the machine down.
 * No rule can override it. Guesses count: `rm -rf $HOME` counts as removing the home folder.
 */
export function whyNeverRun(found: CommandFinding, home: string): string | undefined {
  if (found.remote) return undefined
  for (const { operator, target } of found.redirections) {
    if (operator.startsWith('<') && operator !== '<>') continue
    const path = target.fields[0] ?? ''
    if (isDevice(path)) return `It overwrites the device ${path}.`
    if (path === '/proc/sysrq-trigger') return 'It tells the kernel to shut down the machine.'
  }
  const { name } = found
  if (name === null) return undefined
  const words = fieldsOf(found.pieces.slice(1))
  if (/^(mkfs|mke2fs|newfs)(\.|$)/.test(name))
    return words.length > 0 ? 'It creates a new file system over existing data.' : undefined
  const check = neverRunRules.get(name)
  if (check === undefined) return undefined
  const options = words.filter((word) => word.startsWith('-')).join(' ')
  return check({
    words,
    options,
    recursive: /(^|\s)(-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)(\s|$)/.test(options),
    device: () => words.find(isDevice),
    vital: (from = 0, to = words.length) =>
      words
        .filter((word) => !word.startsWith('-'))
        .slice(from, to)
        .flatMap((word) => (word.startsWith('/') ? ['/'] : (found.cwds ?? [])).map((cwd) => absolute(word, cwd)))
        .find((place) => isVital(place, home))
        ?.replaceAll(star, '*')
        .replaceAll(mark, '?'),
  })
}

const system =
  /^\/(bin|sbin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|srv|sys|usr|var|Applications|Library|System|Users|Volumes|private|private\/etc|private\/var|usr\/(bin|lib|sbin|local|share))?$/
const everything = new RegExp(`/\\.?[${star}${mark}]+$`)

/** True for the root, system folders, home folders, and a wildcard for everything in one of them. */
function isVital(place: string, home: string): boolean {
  const folder = place.replace(everything, '')
  if (!isWhole(folder)) return false
  if (system.test(folder) || /^\/(home|Users)\/[^/]+$/.test(folder)) return true
  // A folder that contains the home folder.
  return folder === home || home.startsWith(`${folder}/`)
}

function isDevice(path: string): boolean {
  return /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|md|dm-|mapper\/|loop|sr|mem|kmem|port|nst|st\d)/.test(path)
}

/** Resolves a path textually. Good enough for a guess that can only cause refusals. */
function absolute(path: string, cwd: string): string {
  const parts: string[] = []
  for (const part of `${path.startsWith('/') ? '' : `${cwd}/`}${path}`.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
