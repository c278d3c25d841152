import eslint from '@eslint/js';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const noVscode = { name: 'vscode', message: 'Only src/extension.ts and src/editor may know the editor.' };
const noNode = { group: ['node:*'], message: 'The webview runs in a browser.' };

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'node_modules/', 'artifacts/', '.testbed/', '.vscode-test/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'import-x/no-cycle': 'error',
      // Dependencies point one way: extension -> editor -> engine; cli -> engine; webview -> protocol <- editor.
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            { target: './src/engine', from: './src', except: ['./engine', './protocol'] },
            { target: './src/cli', from: './src', except: ['./cli', './engine', './protocol'] },
            { target: './src/webview', from: './src', except: ['./webview', './protocol'] },
            // The protocol is types only; those that the engine already has are named there, not written again.
            { target: './src/protocol', from: './src', except: ['./protocol', './engine'] },
            { target: './src/editor', from: './src', except: ['./editor', './engine', './protocol'] },
          ],
        },
      ],
    },
    settings: { 'import-x/resolver': { node: { extensions: ['.ts', '.tsx', '.mjs', '.js'] } } },
  },
  {
    files: ['src/engine/**', 'src/cli/**', 'src/protocol/**'],
    rules: { 'no-restricted-imports': ['error', { paths: [noVscode] }] },
  },
  {
    files: ['src/webview/**'],
    rules: { 'no-restricted-imports': ['error', { paths: [noVscode], patterns: [noNode] }] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        fetch: 'readonly',
        Buffer: 'readonly',
        AbortController: 'readonly',
      },
    },
  },
);
