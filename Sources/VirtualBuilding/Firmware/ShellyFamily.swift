import Model

extension FirmwareFamily {
  package static let shelly = FirmwareFamily(
    name: "shelly",
    settings: ShellyGATT.settings.map { name in
      FirmwareSetting(name, ShellyGATT.characteristic(name), "text of at most 128 bytes") { text in
        guard text.utf8.count <= 128 else { return nil }
        return name == "admin_password" ? ShellyGATT.secret(text, ShellyGATT.usualID) : Array(text.utf8)
      }
    },
    faults: ownFaults.map { FaultKind($0.name, .own($0)) },
    label: ["name"],
    oracle: FirmwareOracle(
      .unreadable, proofs: [.deviceStatus],
      keeps: { room in
        guard case .secret(let secret)? = room.settings["admin_password"] else { return [:] }
        return ["admin_password": ShellyGATT.secret(secret.reveal(), ShellyGATT.id(room.deviceName))]
      },
      isCommand: { write, _ in [ShellyGATT.leave, ShellyGATT.restart].contains(write.characteristic) })
  ) { ShellyFirmware(conditions: $0) }

  private static let ownFaults: [FamilyFault] = [
    .garbageLength, .emptyReads, .unreadAnswer, .refusesSecondLink, .longReads, .notifies, .oldNetwork,
    .staysJoined,
    .neverJoins, .noAddress, .leavesWhileJoining, .otherPassword, .shortNonce, .windowOver, .otherMAC,
    .generation1, .withoutMAC, .withoutStatus, .noScan,
  ]
}

extension FamilyFault {
  /// The length of each answer is another one.
  package static let garbageLength = Self("garbage_length")
  /// Its first answer can be read only at the third attempt.
  package static let emptyReads = Self("empty_reads")
  /// An earlier client did not read its last answer.
  package static let unreadAnswer = Self("unread_answer")
  /// It takes one link after each start.
  package static let refusesSecondLink = Self("refuses_second_link")
  /// Its reads have 515 bytes, of which BlueZ drops three.
  package static let longReads = Self("long_reads")
  /// It sends a notification before each answer.
  package static let notifies = Self("notifies")
  /// It shows the network before for a moment.
  package static let oldNetwork = Self("old_network")
  /// It shows the network that it was told to leave.
  package static let staysJoined = Self("stays_joined")
  /// It has its own password already, another than the room's.
  package static let otherPassword = Self("other_password")
  /// Each proof of the password needs another nonce.
  package static let shortNonce = Self("short_nonce")
  /// The time in which it takes settings is over [assumed: then its service is missing].
  package static let windowOver = Self("window_over")
  /// It says another MAC than it advertises.
  package static let otherMAC = Self("other_mac")
  package static let generation1 = Self("generation_1")
  /// Its advertisement has no MAC.
  package static let withoutMAC = Self("without_mac")
  /// It lacks the method that says whether it must restart.
  package static let withoutStatus = Self("without_status")
  /// It does not answer a scan.
  package static let noScan = Self("no_scan")
}
