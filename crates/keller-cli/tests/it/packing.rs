//! Files that are packed with the program: completions of shells and man pages.

use std::process::Command;

use crate::common::Folder;

#[cfg(unix)]
#[test]
fn bash_completes_commands_options_and_values() {
    let folder = Folder::new("completions");
    let script = folder.keller(&["completions", "bash"]).stdout;
    folder.write("keller.bash", &script);
    let complete = |words: &[&str]| {
        let ask = format!(
            "source keller.bash; COMP_WORDS=(keller {}); COMP_CWORD={}; _keller keller '{}' '{}'; echo ${{COMPREPLY[@]}}",
            words.join(" "),
            words.len(),
            words.last().unwrap(),
            words.iter().rev().nth(1).unwrap_or(&"keller")
        );
        let output = Command::new("bash")
            .args(["-c", &ask])
            .current_dir(folder.path(""))
            .output();
        let output = output.expect("bash runs");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(complete(&["pa"]), "paths");
    assert_eq!(complete(&["batch", "pl"]), "plan");
    assert_eq!(complete(&["paths", "--thr"]), "--threads");
    assert_eq!(complete(&["completions", "fi"]), "fish");
}

#[test]
fn every_command_has_a_man_page_with_its_options() {
    let folder = Folder::new("man");
    let run = folder.keller(&["reference", "--man", "man"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let page = |name: &str| folder.read(&format!("man/{name}.1"));
    assert!(
        page("keller").contains("keller\\-batch(1)"),
        "{}",
        page("keller")
    );
    assert!(page("keller-batch-plan").contains("\\-\\-out"));
    assert!(page("keller-paths").contains("\\-\\-threads"));
    assert!(!folder.path("man/keller-reference.1").exists());
}
