import Bluetooth
import Model
import Reporting

/// The other hosts, each of which gets the diagnosis of this computer.
extension Diagnosis {
  /// Clocks that differ by less were set by time servers.
  private static let clockTolerance = Duration.seconds(2)

  /// Whether a host can be used, its adapters, and each problem there with the command that corrects it from here.
  func findings(of host: RadioFacts.Host) -> [Finding] {
    let there = diagnosis(of: host)
    // A building can have fifty hosts, so what is in order is left out.
    let problems = there.service.filter {
      $0.severity == .warning || $0.severity == .error || $0.code == .hostBluetooth
    }
    return [there.state(of: host), clock(of: host)].compactMap(\.self)
      + (problems + there.adapters).map { $0.there(host.description) }
  }

  /// The adapters of this computer and of the other hosts.
  var listedOnAllHosts: [ListedAdapter] {
    listed
      + (radio?.hosts ?? []).flatMap { diagnosis(of: $0).listed }
  }

  private func diagnosis(of host: RadioFacts.Host) -> Diagnosis {
    let radio = host.failure == nil ? radio.map { RadioFacts(stack: host.stack, adapters: $0.adapters) } : nil
    return Diagnosis(
      host: host.answer.facts, radio: radio, building: building, name: host.description.name)
  }

  private func state(of host: RadioFacts.Host) -> Finding {
    let name = host.description.name
    if let failure = host.failure {
      return Finding(.host, .warning, about: name.text, OutsideWords.quoted(failure.sentence))
    }
    let ready = items.count { $0.adapter.state == .ready }
    let parts = [
      host.stack ?? "BlueZ", ready.counted("adapter") + " ready",
      host.roundTrip.map { "a call takes up to \($0.shown)" },
    ]
    return Finding(
      .host, ready == 0 ? .warning : .ok, about: name.text,
      "\(name): \(parts.compactMap(\.self).joined(separator: ", ")).",
      advice: items.isEmpty ? "Plug in an adapter there." : nil)
  }

  private func clock(of host: RadioFacts.Host) -> Finding? {
    guard let difference = host.answer.clockDifference else { return nil }
    let (isAhead, amount) = (difference > .zero, max(difference, .zero - difference))
    guard amount > Self.clockTolerance else { return nil }
    return Finding(
      .clock, .note, about: host.description.name.text,
      "\(host.description.name): its clock is about \(amount.asAboutTime) \(isAhead ? "ahead of" : "behind") this computer's. "
        + "Records and reports have the times of this computer only.")
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
