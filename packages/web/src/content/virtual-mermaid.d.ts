/** See vite.config.ts. */
declare module 'virtual:mermaid' {
  const address: string
  export default address
}
