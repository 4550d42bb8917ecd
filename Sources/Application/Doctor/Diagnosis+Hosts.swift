import Bluetooth
import Model
import Reporting

/// The other hosts, each of which gets the diagnosis of this computer.
extension Diagnosis {
  static let hostChecks: [DoctorCheck<(host: RadioFacts.Host, there: Diagnosis)>] = [
    DoctorCheck("host") { host, there in
      let name = host.description.name
      if let failure = host.failure {
        return Finding(.warning, about: name.text, OutsideWords.quoted(failure.sentence))
      }
      let ready = there.listed.count { $0.adapter.state == .ready }
      let parts = [
        host.stack ?? "BlueZ", ready.counted("adapter") + " ready",
        host.roundTrip.map { "a call takes up to \($0.shown)" },
      ]
      return Finding(
        ready == 0 ? .warning : .ok, about: name.text,
        "\(name): \(parts.compactMap(\.self).joined(separator: ", ")).",
        advice: there.listed.isEmpty ? "Plug in an adapter there." : nil)
    },
    DoctorCheck("clock") { host, there in
      // Clocks that differ by less were set by time servers.
      guard let ahead = there.host.clockAhead, max(ahead, .zero - ahead) > .seconds(2) else { return nil }
      let name = host.description.name
      return Finding(
        .note, about: name.text,
        "\(name): its clock is about \(max(ahead, .zero - ahead).asAboutTime) \(ahead > .zero ? "ahead of" : "behind") this computer's. "
          + "Records and reports have the times of this computer only.")
    },
  ]

  /// Whether a host can be used, its adapters, and each problem there with the command that corrects it from here.
  func findings(of host: RadioFacts.Host) -> [Finding] {
    let there = diagnosis(of: host)
    // A building can have fifty hosts, so what is in order is left out.
    let problems = there.service.filter { $0.isProblem || $0.code == "host_bluetooth" }
    return Self.hostChecks.findings(in: (host, there))
      + (problems + there.adapters).map { $0.there(host.description) }
  }

  /// The adapters of this computer and of the other hosts.
  var listedOnAllHosts: [RadioFacts.Item] {
    listed + (radio?.hosts ?? []).flatMap { diagnosis(of: $0).listed }
  }

  private func diagnosis(of host: RadioFacts.Host) -> Diagnosis {
    let radio = host.failure == nil ? radio.map { RadioFacts(stack: host.stack, adapters: $0.adapters) } : nil
    return Diagnosis(host: host.facts, radio: radio, building: building, name: host.description.name)
  }
}

extension Finding {
  /// The same about another host: the sentence names it, and the command runs there.
  fileprivate func there(_ host: HostDescription) -> Finding {
    var finding = self
    if subject?.hasPrefix("\(host.name)/") != true {
      finding.subject = subject.map { "\(host.name)/\($0)" } ?? host.name.text
      finding.sentence = "\(host.name): \(sentence)"
    }
    finding.command = command.map { "ssh -t \(host.ssh.shellQuoted) \($0.shellQuoted)" }
    return finding
  }
}
