import { type Wire, wireTo } from '../edge/wire.ts'

export type Front = Wire

/** An address that is known before the server behind it starts, as that of a farm's page is. */
export const openFront = (): Promise<Front> => wireTo('http://127.0.0.1:9')
