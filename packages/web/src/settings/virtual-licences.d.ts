/** Made by `vite.config.ts` from what the packages name. */
declare module 'virtual:licences' {
  const licences: { name: string; version: string; licence: string }[]
  export default licences
}
