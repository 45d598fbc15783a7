import { render } from 'preact'
import { App } from './app.tsx'

const place = document.getElementById('dashboard')
if (place !== null) render(<App />, place)
