extension FamilyFault {
  /// The Bluedroid host stack: a refusal ends the link.
  package static let bluedroid = Self("bluedroid")
  /// Firmware before IDF 5.0: security 1, which it does not name, and no `prov-ctrl`.
  package static let oldVersion = Self("old_version")
  /// Security 2 of early IDF 5: every message has the same nonce.
  package static let sameNonce = Self("same_nonce")
  package static let security0 = Self("security_0")
  package static let security1 = Self("security_1")
  /// Security 1 without a proof of possession.
  package static let noProof = Self("no_proof")
  /// It has another proof of possession than its label.
  package static let otherCredentials = Self("other_credentials")
  /// Another device with its name: it has no credentials, and takes any.
  package static let impostor = Self("impostor")
  /// A product with a service and a name of its own.
  package static let ownService = Self("own_service")
  package static let joinsSlowly = Self("joins_slowly")
  /// It reports that it joined a network that it was not given.
  package static let joinsAnother = Self("joins_another")
  /// It answers that it cannot keep the network.
  package static let refusesNetwork = Self("refuses_network")
  /// It goes on with Bluetooth once it has joined, as products do that end it by a command of their own.
  package static let staysAfterJoining = Self("stays_after_joining")
  /// The network does not accept the password.
  package static let wrongPassword = Self("wrong_password")
  package static let networkAbsent = Self("network_absent")
  /// It reports "connecting" forever.
  package static let neverJoins = Self("never_joins")
  /// The link is lost when it has accepted the network.
  package static let dropsAfterApply = Self("drops_after_apply")
  /// Another client had it join the room's network with an old password, and it tries until it can.
  package static let earlierCommand = Self("earlier_command")
  /// A join of another client has failed.
  package static let failedBefore = Self("failed_before")
  /// Its answers of `prov-config` have the number of another message.
  package static let otherMessages = Self("other_messages")
  /// It reports that it joined, and no address.
  package static let noAddress = Self("no_address")
  /// Its version has a text where others have a number.
  package static let oddVersion = Self("odd_version")
  /// It joins Thread networks only.
  package static let threadOnly = Self("thread_only")
  /// It has BluFi instead, Espressif's other protocol.
  package static let bluFi = Self("blufi")
  /// It restarts when it is left after a failed join, and never advertises again.
  package static let restartsAfterFailure = Self("restarts_after_failure")
}
