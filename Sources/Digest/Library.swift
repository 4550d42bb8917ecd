import CGcrypt

/// libgcrypt. One thread must initialise it once before use (manual, "Initializing the library").
package enum Library {
  /// Initialises the library on the first call; concurrent calls wait for it.
  package static func initialise() { _ = once }

  /// Swift initialises a static exactly once.
  private static let once: Void = {
    // libsystemd, which libdbus links, may have initialised it already. Every function used here exists since
    // 1.6.
    if cgcrypt_is_initialised() != 0 { return }
    precondition(gcry_check_version("1.6.0") != nil, "libgcrypt is older than 1.6.0")
    check(cgcrypt_finish_initialisation())
  }()

  /// The functions used here fail only without memory or on wrong arguments.
  package static func check(_ error: UInt32) {
    precondition(error == 0, "libgcrypt: error \(error)")
  }
}
