//! Starts `gproj-lsp` for Zed: the one on PATH, with the options of Zed's settings.

use zed_extension_api::{self as zed, serde_json::Value, settings::LspSettings};
use zed_extension_api::{Command, LanguageServerId, Result, Worktree};

struct Gproj;

impl zed::Extension for Gproj {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree
            .which("gproj-lsp")
            .ok_or_else(|| r#"gproj-lsp is not on PATH: pip install "gproj-lsp[demo]""#.to_string())?;
        Ok(Command { command, args: vec!["serve".to_string()], env: worktree.shell_env() })
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(server.as_ref(), worktree)?.initialization_options)
    }
}

zed::register_extension!(Gproj);
