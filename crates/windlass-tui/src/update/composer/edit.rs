//! Editing keys: those that shells and editors have in common. Knows the text alone.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_textarea::CursorMove;

use crate::state::TuiState;
use crate::state::composer::Composer;

/// A key in the text; whether the text changed. Keys that mean nothing are let go.
pub(super) fn press(composer: &mut Composer, key: KeyEvent) -> bool {
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let is_alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        // Keyboards with a third level report it as Ctrl and Alt together on some systems.
        KeyCode::Char(sign) if is_ctrl && is_alt && !sign.is_ascii_alphanumeric() => write(composer, sign),
        KeyCode::Char('z' | 'Z') if is_ctrl && key.modifiers.contains(KeyModifiers::SHIFT) => {
            composer.area.redo()
        }
        KeyCode::Char(sign) if is_ctrl && !is_alt => press_ctrl(composer, sign),
        KeyCode::Char(sign) if is_alt && !is_ctrl => press_alt(composer, sign),
        KeyCode::Char(sign) if !is_ctrl && !is_alt && !is_system(key.modifiers) => write(composer, sign),
        KeyCode::Backspace if is_alt || is_ctrl => composer.area.delete_word(),
        KeyCode::Delete if is_alt || is_ctrl => composer.area.delete_next_word(),
        KeyCode::Backspace => changes(composer, Composer::erase_left),
        KeyCode::Delete => changes(composer, Composer::erase_right),
        KeyCode::Left if is_ctrl || is_alt => go(composer, CursorMove::WordBack),
        KeyCode::Right if is_ctrl || is_alt => go(composer, CursorMove::WordForward),
        KeyCode::Left => stays(composer, Composer::go_left),
        KeyCode::Right => stays(composer, Composer::go_right),
        KeyCode::Home if is_ctrl => go(composer, CursorMove::Top),
        KeyCode::End if is_ctrl => go_to_end(composer),
        KeyCode::Home => go(composer, CursorMove::Head),
        KeyCode::End => go(composer, CursorMove::End),
        _ => false,
    }
}

fn press_ctrl(composer: &mut Composer, sign: char) -> bool {
    match sign {
        'a' => go(composer, CursorMove::Head),
        'e' => go(composer, CursorMove::End),
        'b' => stays(composer, Composer::go_left),
        'f' => stays(composer, Composer::go_right),
        'u' => composer.area.delete_line_by_head(),
        'k' => composer.area.delete_line_by_end(),
        'w' => composer.area.delete_word(),
        'y' => composer.area.paste(),
        'h' => changes(composer, Composer::erase_left),
        'd' => changes(composer, Composer::erase_right),
        // Terminals without a better way to say it report Ctrl-_ as Ctrl-7.
        'z' | '_' | '7' | '/' => composer.area.undo(),
        _ => false,
    }
}

fn press_alt(composer: &mut Composer, sign: char) -> bool {
    match sign {
        'b' => go(composer, CursorMove::WordBack),
        'f' => go(composer, CursorMove::WordForward),
        'd' => composer.area.delete_next_word(),
        'h' => composer.area.delete_word(),
        'z' => composer.area.redo(),
        '<' => go(composer, CursorMove::Top),
        '>' => go_to_end(composer),
        _ => false,
    }
}

fn is_system(modifiers: KeyModifiers) -> bool {
    modifiers.intersects(KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META)
}

fn write(composer: &mut Composer, sign: char) -> bool {
    composer.area.insert_char(sign);
    true
}

fn go(composer: &mut Composer, to: CursorMove) -> bool {
    composer.area.move_cursor(to);
    false
}

fn go_to_end(composer: &mut Composer) -> bool {
    composer.area.move_cursor(CursorMove::Bottom);
    go(composer, CursorMove::End)
}

fn changes(composer: &mut Composer, change: fn(&mut Composer)) -> bool {
    change(composer);
    true
}

fn stays(composer: &mut Composer, go: fn(&mut Composer)) -> bool {
    go(composer);
    false
}

/// Whether the line ends with a backslash, and Enter therefore writes another one.
pub(super) fn continues_line(state: &TuiState) -> bool {
    let (before, behind) = state.composer.around_cursor();
    before.ends_with('\\') && behind.is_empty()
}

/// Begins a line; the backslash that asked for it goes.
pub(super) fn write_line(composer: &mut Composer) {
    let (before, behind) = composer.around_cursor();
    if before.ends_with('\\') && behind.is_empty() {
        composer.erase_left();
    }
    composer.area.insert_newline();
    composer.goal_column = None;
    composer.walk.is_fresh = false;
}
