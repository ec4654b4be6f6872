export { MediaCard as default } from '../chat/parts/generic-card.tsx'
