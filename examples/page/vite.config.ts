import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page and Portico have one origin, so the session cookie comes back. In production a reverse proxy does the same. */
const proxy = { '/graphql': process.env.PORTICO_URL ?? 'http://127.0.0.1:3000' };

export default defineConfig({
  plugins: [react()],
  server: { proxy },
  preview: { proxy },
});
