import { defineConfig } from 'vitest/config'
import { isRoom, rooms, sampleTests } from './rooms.ts'

const room = process.env.MUTATION_ROOM ?? ''

/** The tests of one room in one thread that stays (`worker.ts`). */
export default defineConfig({
  test: {
    include: isRoom(room) ? [sampleTests, ...rooms[room].tests] : [],
    runner: 'test/mutation/worker.ts',
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
    fileParallelism: false,
  },
})
