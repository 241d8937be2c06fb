//! A network with nobody in it.
//!
//! Clients ask the network for more than a model: for news, for packages, for a place to leave
//! statistics. A task that runs them is run again where there is only the loopback device, so that
//! nothing of this machine can get out, whatever a client tries. There it learns at once that no
//! name is known; without that, each session would wait for a name server.

use std::{
    env,
    io::Write as _,
    net::{Ipv4Addr, UdpSocket},
    process::{Command, Stdio},
    thread,
};

use anyhow::{Context as _, Result};

/// The port of name servers.
const PORT: u16 = 53;

/// Brings the loopback device up, makes ours the name server, which may fail, and becomes the
/// command behind it.
const SCRIPT: &str = "PATH=$PATH:/usr/sbin:/sbin; ip link set lo up || exit; \
                      mount --bind \"$0\" /etc/resolv.conf 2>/dev/null; exec \"$@\"";

/// Runs this process again with the same arguments and one more, and says whether it succeeded;
/// `None` where a machine doesn't give a process a network of its own.
///
/// # Errors
/// When it can't be run again.
pub fn again(more: &str) -> Result<Option<bool>> {
    let mut names = tempfile::NamedTempFile::new().context("no temporary file")?;
    writeln!(names, "nameserver {}", Ipv4Addr::LOCALHOST).context("no temporary file")?;
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(["-rnm", "sh", "-c", SCRIPT]).arg(names.path());
        command
    };
    let works = unshare().arg("true").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !works.is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    let program = env::current_exe().context("this program has no path")?;
    let status = unshare().arg(program).args(env::args_os().skip(1)).arg(more).status();
    Ok(Some(status.context("could not run `unshare`")?.success()))
}

/// Answers, for as long as this process runs, that no name is known. Where that can't be done,
/// clients wait for an answer, which only takes time.
pub fn know_no_name() {
    let Ok(socket) = UdpSocket::bind((Ipv4Addr::LOCALHOST, PORT)) else { return };
    thread::spawn(move || {
        let mut packet = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut packet) {
            // Who gets no reply asks again.
            if let Some(reply) = no_such_name(&packet[..length]) {
                drop(socket.send_to(&reply, from));
            }
        }
    });
}

/// Returns the reply that the name of a query doesn't exist (RFC 1035, section 4.1).
fn no_such_name(query: &[u8]) -> Option<Vec<u8>> {
    const HEADER: usize = 12;
    let mut end = HEADER;
    loop {
        match *query.get(end)? {
            0 => break,
            length => end += 1 + usize::from(length),
        }
    }
    // Behind the name are its type and its class.
    let question = query.get(HEADER..end + 5)?;
    let mut reply = query[..2].to_vec();
    // A response, recursion wanted and had, code 3; one question and nothing else.
    reply.extend([0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0]);
    reply.extend(question);
    Some(reply)
}

#[cfg(test)]
mod tests {
    use super::no_such_name;

    #[test]
    fn a_name_that_is_asked_for_does_not_exist() {
        let mut query = vec![7, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1];
        query.extend(b"\x01a\x04test\0\0\x01\0\x01");
        let question = query[12..].to_vec();
        query.extend(b"\0\0\x29\x05\0\0\0\0\0\0\0");
        let reply = no_such_name(&query).unwrap();
        assert_eq!(reply[..12], [7, 9, 0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(reply[12..], question);
        assert_eq!(no_such_name(&query[..14]), None);
        assert_eq!(no_such_name(&query[..20]), None);
        assert_eq!(no_such_name(&[]), None);
    }
}
